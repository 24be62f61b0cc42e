# For scripts: `ranks N PROGRAM...` runs a program on N ranks of this machine, with the MPI that MPIRUN names.
MPIRUN=${MPIRUN:-mpirun.openmpi}
ranks() {
    ranks_count=$1
    shift
    case $("$MPIRUN" --version 2>&1) in
    *"Open MPI"* | *OpenRTE*) # only this machine, possibly with more ranks than cores
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
            "$MPIRUN" --oversubscribe --bind-to none --mca btl self,vader -n "$ranks_count" "$@" ;;
    *) "$MPIRUN" -n "$ranks_count" "$@" ;;
    esac
}
