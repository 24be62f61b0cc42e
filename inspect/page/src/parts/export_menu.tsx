import { useRef, useState } from 'preact/hooks';
import { complain, say } from '../edits.ts';
import { csvOf, download, fetchAll, type Format, jsonOf, mostExported } from '../export.ts';
import { count, counted } from '../format.ts';
import { types, world } from '../world.ts';
import { Button, Popover } from './basics.tsx';

/** Saves the matches of a query, with the fields that are columns, as a file. */
export function ExportMenu({ query, columns }: { query: string; columns: readonly string[] }) {
    const [rows, setRows] = useState<number | null>(null); // of an export that is under way
    const ended = useRef(false);
    const save = async (format: Format) => {
        ended.current = false;
        setRows(0);
        try {
            const found = await fetchAll(query, columns, (n) => {
                setRows(n);
                return !ended.current;
            });
            if (found) {
                const text = format === 'csv' ? csvOf(found, columns, types.value) : jsonOf(found, types.value);
                const name = (world.value?.title ?? 'Covey').replaceAll(/[^\p{L}\p{N}]+/gu, '_');
                download(`${name}.${format}`, format === 'csv' ? 'text/csv' : 'application/json', text);
                say(`Exported ${counted(found.length, 'entity', 'entities')}${found.length >= mostExported ? ', the first ones' : ''}`);
            }
        } catch (error) {
            complain(error);
        }
        setRows(null);
    };
    return (
        <Popover icon="save" label="Export" bare>
            {rows === null ? (
                <>
                    <p class="dim">The entities that match, with the components that are columns. Pause the program first for values of one moment.</p>
                    <Button label="CSV" onClick={() => void save('csv')} />
                    <Button label="JSON" onClick={() => void save('json')} />
                </>
            ) : (
                <>
                    <p role="status">{count(rows)} so far …</p>
                    <Button label="Cancel" onClick={() => (ended.current = true)} />
                </>
            )}
        </Popover>
    );
}
