// What the server answers: docs/inspect.md describes it, endpoint by endpoint.

/** "index:generation". */
export type Entity = string;
/** Beyond 2^53 integers are texts; floats that are not finite are null or a text. */
export type Value = number | string | boolean | null | Value[] | { [field: string]: Value };

export interface World {
    version: number;
    title: string;
    entities: number;
    pools: number;
    bytes: number;
    write: boolean;
    frame: number;
    paused: boolean;
    speed: number;
    schedule: boolean;
    history: boolean;
    /** Nanoseconds that the last frame took. */
    time: number;
    tick: number;
    /** The file that is looked at, where it is one. */
    read_only_file?: string;
}

export interface Field {
    name: string;
    kind: string;
    offset: number;
    count: number;
    fields?: Field[];
}

export interface Type {
    name: string;
    size: number;
    align: number;
    storage: string;
    policy: string;
    tag: boolean;
    /** One of Covey's own. */
    internal?: boolean;
    count: number;
    ticks: boolean;
    fields: Field[] | null;
}

export interface EntityRow {
    e: Entity;
    name?: string | null;
    children?: number;
    enabled: boolean;
    types: number[];
    values?: Record<string, Value>;
}

export interface EntityRows {
    count: number;
    complete: boolean;
    scanned: number;
    offset: number;
    rows: EntityRow[];
}

export interface Completion {
    from: number;
    to: number;
    words: { text: string; kind: string; detail?: string }[];
}

export interface TreeRow {
    e: Entity;
    name?: string | null;
    children: number;
    types: number[];
}

export interface TreeRows {
    count: number;
    complete?: boolean;
    rows: TreeRow[];
}

export interface Component {
    type: string;
    enabled: boolean;
    tick?: number;
    value?: Value;
    hex?: string;
    bytes: number;
    /** Whether it can be set. */
    edit?: boolean;
}

export interface EntityDetail {
    e: Entity;
    alive: boolean;
    name?: string | null;
    enabled: boolean;
    /** From its root on. */
    path?: string;
    parent?: Entity | null;
    parent_name?: string | null;
    children: { count: number; first: { e: Entity; name?: string | null }[] };
    components: Component[];
}

export interface ErrorBody {
    code: string;
    text: string;
    at?: number;
    length?: number;
}

export interface Pool {
    type: string;
    kind: string;
    policy: string;
    count: number;
    bytes: number;
    /** Bytes by the three formulas: an array over all indices, a bitmask with packed values, a sparse set. */
    linear: number;
    bitmask: number;
    sparse: number;
    holes: number;
    /** Null for types of Covey's own; more than that if `spans_more`. */
    spans: number | null;
    spans_more?: boolean;
    internal?: boolean;
    /** The range of indices that the map covers. */
    ids: number;
    group: boolean;
    best: string;
    best_bytes: number;
    uses?: number;
    advice?: string;
    /** What a change can do about it. */
    do: 'convert' | 'compact' | null;
}

export interface Storage {
    pools: Pool[];
    bytes?: number;
}

export interface SystemStats {
    name: string;
    phase: string | null;
    on: boolean;
    runs: number;
    last: number;
    mean: number;
    worst: number;
    busy: number;
    waited: number;
    pieces: number;
    threads: number;
    entities: number;
    /** What bodies say of themselves: bytes that they moved and time that they waited, the last time. */
    bytes?: number;
    blocked?: number;
}

export interface PlanSystem {
    name: string;
    phase: string | null;
    stage: number;
    exclusive?: boolean;
    split?: boolean;
    main_thread?: boolean;
    reads: string[];
    writes: string[];
}

export interface Plan {
    phases: (string | { name: string })[];
    systems: PlanSystem[];
    /** Numbers of systems. */
    edges: { from: number; to: number; why: string }[];
}

export interface Piece {
    system: number;
    piece: number;
    thread: number;
    begin: number;
    end: number;
    /** Of the commands that the piece recorded. */
    replay?: boolean;
    bytes?: number;
    blocked?: number;
}

export interface Timeline {
    threads: number;
    systems?: string[];
    /** Times in nanoseconds; those of pieces begin with the frame. */
    frames: { frame?: number; at: number; length: number; pieces: Piece[] }[];
}

export interface Snapshots {
    capacity: number;
    bytes?: number;
    /** The newest first. `number` stays while others are saved. */
    snapshots: { back: number; number: number; bytes?: number; tick: number; entities: number }[];
}

export interface Difference {
    added: number;
    removed: number;
    changed: number;
    types: { type: string; added: number; removed: number; changed: number }[];
    rows: { e: Entity; name?: string | null; what: string; types?: string[]; also?: string[] }[];
}

export interface EventSeconds {
    seconds: { at: number; created?: number; destroyed?: number; types: { type: string; added: number; set: number; removed: number }[] }[];
}

export interface LogLines {
    lines: { number: number; code: string; text: string; frame: number; times?: number }[];
}
