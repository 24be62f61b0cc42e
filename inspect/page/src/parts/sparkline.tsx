import { float } from '../format.ts';

/** The last values as a line. It begins at the left; with more than `room` values, the oldest leave there. Null is a gap. */
export function Sparkline({ values, label, room }: { values: readonly (number | null)[]; label: string; room?: number }) {
    const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
    const low = Math.min(...known);
    const high = Math.max(...known);
    const span = high - low || 1;
    const steps = Math.max((room ?? values.length) - 1, 1);
    let path = '';
    let pen = 'M';
    values.forEach((value, i) => {
        if (value === null || !Number.isFinite(value)) {
            pen = 'M';
            return;
        }
        const x = ((i / steps) * 100).toFixed(2);
        const y = (high === low ? 12 : 22 - ((value - low) / span) * 20).toFixed(2);
        path += `${pen}${x} ${y}`;
        pen = 'L';
    });
    const text = known.length > 0 ? `${label}: from ${float(low)} to ${float(high)}` : `${label}: no values yet`;
    return (
        <svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={text}>
            <title>{text}</title>
            <path d={path} />
        </svg>
    );
}
