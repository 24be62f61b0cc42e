import { Cell, keptCell } from './store.ts';

export type Theme = 'dark' | 'light';

const preferred = matchMedia('(prefers-color-scheme: light)');
const chosen = keptCell<Theme | null>('covey.theme', null);
const system = (): Theme => (preferred.matches ? 'light' : 'dark');

/** The theme of the system, until the user chooses one. */
export const theme = new Cell<Theme>('dark');

export function followTheme(): void {
    const apply = () => {
        theme.set(chosen.value ?? system());
        document.documentElement.dataset.theme = theme.value;
    };
    chosen.subscribe(apply);
    preferred.addEventListener('change', apply);
    apply();
}

export function switchTheme(): void {
    const next = theme.value === 'dark' ? 'light' : 'dark';
    chosen.set(next === system() ? null : next);
}

/** A colour of the style sheet, for canvases. */
export function colour(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** The palette of Okabe and Ito: distinguishable with any kind of colour vision. */
export const palette = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#f0e442', '#0072b2', '#d55e00', '#999999'];

export function hue(index: number): string {
    return palette[index % palette.length] as string;
}
