// The entities of a query as a file.

import type { EntityRow, EntityRows, Type, Value } from './api.ts';
import { get } from './client.ts';
import { at, leaves } from './fields.ts';
import { withParams } from './poll.ts';

export type Format = 'csv' | 'json';

const portion = 500;
export const mostExported = 200_000; // rows

/** A value as a field of CSV (RFC 4180). */
function cell(value: Value | undefined): string {
    if (value === undefined || value === null) return '';
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const line = (cells: readonly (Value | undefined)[]): string => `${cells.map(cell).join(',')}\r\n`;

const namesOf = (row: EntityRow, types: readonly Type[]): string[] => row.types.map((index) => types[index]?.name ?? String(index));

/** A line for each entity, with a column for each field of the components that are columns. */
export function csvOf(rows: readonly EntityRow[], columns: readonly string[], types: readonly Type[]): string {
    const fields = columns.flatMap((type) => leaves(types.find((held) => held.name === type)?.fields ?? [], Infinity).map(({ path }) => ({ type, path })));
    const head = line(['entity', 'name', 'enabled', 'components', ...fields.map(({ type, path }) => `${type}.${path}`)]);
    const body = rows.map((row) => line([row.e, row.name ?? '', row.enabled, namesOf(row, types).join(' '), ...fields.map(({ type, path }) => at(row.values?.[type], path))]));
    return head + body.join('');
}

export function jsonOf(rows: readonly EntityRow[], types: readonly Type[]): string {
    const entities = rows.map((row) => ({ entity: row.e, name: row.name ?? null, enabled: row.enabled, components: namesOf(row, types), values: row.values ?? {} }));
    return `${JSON.stringify(entities, null, 1)}\n`;
}

/** Requests all matches, or the first ones of very many. Calls `onRows` with the number so far; false ends it. */
export async function fetchAll(query: string, columns: readonly string[], onRows: (rows: number) => boolean): Promise<EntityRow[] | null> {
    const rows: EntityRow[] = [];
    while (rows.length < mostExported) {
        const answer = await get<EntityRows>(withParams('entities', { query, columns: columns.join(','), offset: rows.length, limit: portion }));
        rows.push(...answer.rows);
        if (!onRows(rows.length)) return null;
        if (answer.rows.length === 0 && !answer.complete) continue; // the server is still looking for the next rows
        if (answer.rows.length < portion && answer.complete) break;
    }
    return rows;
}

/** Hands a text to the browser as a file. */
export function download(name: string, kind: string, text: string): void {
    const url = URL.createObjectURL(new Blob([text], { type: kind }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
