import { link, post, waiting } from '../client.ts';
import { complain } from '../edits.ts';
import { bytes, count, time } from '../format.ts';
import { useCell } from '../store.ts';
import { switchTheme, theme } from '../theme.ts';
import { rate, refreshWorld, world } from '../world.ts';
import { Button } from './basics.tsx';
import { Icon } from './icons.tsx';

/** Pauses, steps, or sets the speed. */
export async function run(body: { paused?: boolean; step?: number; speed?: number }): Promise<void> {
    try {
        await post('run', body);
    } catch (error) {
        complain(error);
    }
    refreshWorld();
}

const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 10];

export function TopBar({ onHelp }: { onHelp: () => void }) {
    const about = useCell(world);
    const shade = useCell(theme);
    return (
        <header class="top-bar">
            <div class="brand">
                <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
                    <path class="a" d="M1 1h6v6H1z" />
                    <path class="b" d="M9 1h6v6H9z" />
                    <path class="c" d="M1 9h6v6H1z" />
                    <path class="d" d="M9.8 9.8h4.4v4.4H9.8z" />
                </svg>
                <h1 title={about?.title}>{about?.title ?? 'Covey'}</h1>
                {about && !about.write && (
                    <span class="badge" title={about.read_only_file ?? 'the program opened the inspector without .write'}>
                        <Icon name="lock" />
                        read-only
                    </span>
                )}
            </div>
            <Numbers />
            <div class="spacer" />
            <RunControls />
            <Connection />
            <Button icon={shade === 'dark' ? 'sun' : 'moon'} label={`Switch to ${shade === 'dark' ? 'light' : 'dark'} (T)`} bare onClick={switchTheme} />
            <Button icon="help" label="Keyboard shortcuts (?)" bare onClick={onHelp} />
        </header>
    );
}

function Numbers() {
    const about = useCell(world);
    const fps = useCell(rate);
    if (!about) return null;
    return (
        <dl class="numbers">
            <Metric label="Frame" value={count(about.frame)} name="frame" />
            <Metric label="Rate" value={fps === null ? '–' : about.paused ? 'paused' : `${fps < 10 ? fps.toFixed(1) : fps.toFixed(0)} fps`} name="fps" />
            <Metric label="Frame time" value={about.time > 0 ? time(about.time) : '–'} name="time" />
            <Metric label="Entities" value={count(about.entities)} name="entities" />
            <Metric label="Memory" value={bytes(about.bytes)} name="memory" />
        </dl>
    );
}

function Metric({ label, value, name }: { label: string; value: string; name: string }) {
    return (
        <div class={`number ${name}`}>
            <dt>{label}</dt>
            <dd data-number={name}>{value}</dd>
        </div>
    );
}

function RunControls() {
    const about = useCell(world);
    if (!about || about.read_only_file) return null;
    return (
        <div class="run" role="group" aria-label="Run">
            <Button
                icon={about.paused ? 'play' : 'pause'}
                label={about.paused ? 'Go on (P)' : 'Pause (P)'}
                bare
                disabled={!about.write}
                pressed={about.paused}
                onClick={() => void run({ paused: !about.paused })}
            />
            <Button icon="step" label="Step one frame (.)" bare disabled={!about.write} onClick={() => void run({ step: 1 })} />
            <select
                aria-label="Speed"
                title="Frames that run for each frame"
                disabled={!about.write}
                value={String(about.speed)}
                onChange={(event) => void run({ speed: Number(event.currentTarget.value) })}
            >
                {[...new Set([...speeds, about.speed])]
                    .sort((a, b) => a - b)
                    .map((speed) => (
                        <option key={speed} value={String(speed)}>
                            {speed} ×
                        </option>
                    ))}
            </select>
        </div>
    );
}

function Connection() {
    const { state } = useCell(link);
    const late = useCell(waiting);
    const words = { connecting: 'connecting', open: 'connected', lost: 'disconnected', denied: 'no key' };
    const shown = state === 'open' && late > 0 ? `waiting ${(late / 1000).toFixed(1)} s` : words[state];
    const kind = state === 'open' ? (late > 0 ? 'warn' : 'good') : state === 'lost' ? 'bad' : 'warn';
    return (
        <span class="connection" role="status" aria-label={`Connection: ${shown}`} title={shown}>
            <span class={`dot ${kind}`} aria-hidden="true" />
            <span class="word">{shown}</span>
        </span>
    );
}
