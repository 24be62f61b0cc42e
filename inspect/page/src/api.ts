// The answers of the server. docs/inspect.md describes each endpoint.

/** "index:generation". */
export type Entity = string;
/** Integers beyond 2^53 are strings; floats that are not finite are null or a string. */
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
    /** The file that is shown, if the inspector shows a file. */
    read_only_file?: string;
}

/** How a field is shown; without it, as its kind says. */
export interface Shown {
    as: 'range' | 'angle' | 'choice' | 'colour';
    /** Of a range. */
    least?: number;
    most?: number;
    /** Of a choice: the names of the values 0, 1 and so on. */
    names?: string[];
}

export interface Field {
    name: string;
    kind: string;
    offset: number;
    count: number;
    fields?: Field[];
    show?: Shown;
}

export interface Type {
    name: string;
    size: number;
    align: number;
    storage: string;
    policy: string;
    tag: boolean;
    /** A type of the library itself. */
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
    /** Whether its values can be edited. */
    edit?: boolean;
}

export interface EntityDetail {
    e: Entity;
    alive: boolean;
    name?: string | null;
    enabled: boolean;
    /** The names from its root on. */
    path?: string;
    parent?: Entity | null;
    parent_name?: string | null;
    children: { count: number; first: { e: Entity; name?: string | null }[] };
    components: Component[];
    /** For each lookup of an entity field: how many point at the entity, and the first of them. */
    sources?: Sources[];
}

export interface Sources {
    /** The number of the lookup. */
    lookup: number;
    type: string;
    field: string;
    count: number;
    first: { e: Entity; name?: string | null }[];
}

/** A lookup finds entities by fields of a type. */
export interface Lookup {
    type: string;
    /** One; for places the two or three numbers. */
    fields: string[];
    kind: string;
    finds: 'values' | 'ranges' | 'places';
    /** Of an entity field. */
    when_target_ends: 'keep' | 'clear' | 'remove' | 'destroy' | null;
    /** Of places: the side of a cell. */
    cell: number | null;
    count: number;
    bytes: number;
}

/** The cells of a lookup of places that have entities. */
export interface Cells {
    lookup: number;
    type: string;
    fields: string[];
    /** The side of a cell. */
    cell: number;
    /** So many cells, in each direction, are counted as one. */
    merged: number;
    entities: number;
    /** Entities in the fullest one. */
    most: number;
    /** The two or three numbers of each, and its entities. */
    cells: number[][];
}

/** A system that iterates an entity. */
export interface SystemOfEntity {
    name: string;
    phase: string | null;
    on: boolean;
    reads: string[];
    writes: string[];
}

/** A component that some of several entities have. */
export interface CommonComponent {
    type: string;
    /** How many of them have it; in how many it is enabled. */
    count: number;
    enabled: number;
    bytes: number;
    edit?: boolean;
    /** Of the first of them. */
    value?: Value;
    hex?: string;
    /** The paths of values that are not the same in all of them. */
    differs: string[];
}

export interface SeveralDetail {
    alive: number;
    enabled: number;
    components: CommonComponent[];
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
    /** Null for internal types; at least this many if `spans_more`. */
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
    /** The change that the advice asks for. */
    do: 'convert' | 'compact' | null;
}

/** A kind: entities that were created with the same types. */
export interface EntityKind {
    types: string[];
    entities: number;
    /** Of 64 indices, which only entities of this kind get. */
    blocks: number;
    /** The part of these indices that is in use: 0 to 1. */
    full: number;
}

export interface Storage {
    pools: Pool[];
    /** Those with most entities first; `count` includes those that are not listed. */
    kinds: { count: number; offset: number; rows: EntityKind[] };
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
    /** Reported by the system in its last run: bytes that it moved, and time that it was blocked. */
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
    /** Positions in `systems`. */
    edges: { from: number; to: number; why: string }[];
}

export interface Piece {
    system: number;
    piece: number;
    thread: number;
    begin: number;
    end: number;
    /** The piece replays recorded commands. */
    replay?: boolean;
    bytes?: number;
    blocked?: number;
}

export interface Timeline {
    threads: number;
    systems?: string[];
    /** Times in nanoseconds; the times of pieces count from the start of the frame. */
    frames: { frame?: number; at: number; length: number; pieces: Piece[] }[];
}

export interface Snapshots {
    capacity: number;
    bytes?: number;
    /** The newest first. `number` identifies a snapshot; `back` changes with each new one. */
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
