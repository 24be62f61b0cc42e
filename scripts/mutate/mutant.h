/* What mutated files ask, included before everything else, also before a file chooses what headers of the system
 * declare: whether a mutant is switched on. The environment says which: COVEY_MUTANT=17. With COVEY_REACHED=FILE, a
 * program that ends adds to the file which mutants it has reached. */
#ifndef COVEY_MUTANT_H
#define COVEY_MUTANT_H

#ifdef __cplusplus
extern "C" {
#endif

extern unsigned covey_mutant;
extern unsigned char covey_mutants_reached[];

#ifdef __cplusplus
}
#endif

#define COVEY_MUTANT(number) (covey_mutants_reached[number] = 1, covey_mutant == (number))

#endif
