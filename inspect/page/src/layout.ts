// Lays out the plan of systems: layers from left to right, each system to the right of all systems that it waits for.

import type { Plan } from './api.ts';

export interface Node {
    index: number;
    layer: number;
    /** Its place in the layer, from the top. */
    row: number;
}

export interface Drawing {
    nodes: Node[];
    layers: number;
    rows: number;
    /** Edges, without those that other paths imply. */
    edges: { from: number; to: number; why: string }[];
    /** Phases, and their range of layers. */
    phases: { name: string; from: number; to: number }[];
}

export function layOut(plan: Plan): Drawing {
    const before = plan.systems.map(() => [] as number[]);
    for (const edge of plan.edges) before[edge.to]?.push(edge.from);
    const layers = layersOf(plan, before);
    const rows = rowsOf(layers, before);
    const last = Math.max(-1, ...layers);
    return {
        nodes: layers.map((layer, index) => ({ index, layer, row: rows[index] ?? 0 })),
        layers: last + 1,
        rows: Math.max(0, ...rows) + 1,
        edges: plan.edges.filter((edge) => !isImplied(edge, before)),
        phases: phasesOf(plan, layers),
    };
}

/** `systems` is in the order in which they run. Systems after a sync point are to the right of those before it. */
function layersOf(plan: Plan, before: readonly number[][]): number[] {
    const layers: number[] = [];
    let begin = 0;
    plan.systems.forEach((system, i) => {
        const last = plan.systems[i - 1];
        if (last && (system.stage !== last.stage || system.phase !== last.phase)) begin = Math.max(-1, ...layers) + 1;
        const waits = (before[i] ?? []).map((from) => (layers[from] ?? -1) + 1);
        layers[i] = Math.max(begin, ...waits);
    });
    return layers;
}

/** Sorts each layer by the mean row of what its systems wait for, so that few lines cross. */
function rowsOf(layers: readonly number[], before: readonly number[][]): number[] {
    const rows: number[] = layers.map(() => 0);
    for (let layer = 0; layer <= Math.max(-1, ...layers); layer++) {
        const members = layers.flatMap((held, i) => (held === layer ? [i] : []));
        const weight = (i: number) => {
            const from = before[i] ?? [];
            return from.length > 0 ? from.reduce((sum, j) => sum + (rows[j] ?? 0), 0) / from.length : i / 1000;
        };
        members.sort((a, b) => weight(a) - weight(b) || a - b);
        members.forEach((i, row) => {
            rows[i] = row;
        });
    }
    return rows;
}

function isImplied(edge: { from: number; to: number }, before: readonly number[][]): boolean {
    const reaches = (to: number, seen: Set<number>): boolean =>
        (before[to] ?? []).some((from) => {
            if (from === edge.from) return true;
            if (seen.has(from)) return false;
            seen.add(from);
            return reaches(from, seen);
        });
    return (before[edge.to] ?? []).some((from) => from !== edge.from && reaches(from, new Set()));
}

function phasesOf(plan: Plan, layers: readonly number[]): Drawing['phases'] {
    const phases: Drawing['phases'] = [];
    plan.systems.forEach((system, i) => {
        const layer = layers[i] ?? 0;
        const name = system.phase ?? '';
        const held = phases.find((phase) => phase.name === name);
        if (!held) phases.push({ name, from: layer, to: layer });
        else {
            held.from = Math.min(held.from, layer);
            held.to = Math.max(held.to, layer);
        }
    });
    return phases;
}
