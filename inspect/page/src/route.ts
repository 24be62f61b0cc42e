// The view and its parameters, in the part of the address after '#': "#/entities?q=Position&e=12:1".

import { Cell } from './store.ts';

export const views = ['entities', 'entity', 'storage', 'systems', 'space', 'time', 'events', 'resources'] as const;
export type View = (typeof views)[number];

export interface Route {
    view: View;
    params: Readonly<Record<string, string>>;
}

export function parseRoute(hash: string): Route {
    const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
    const view = views.find((name) => name === path) ?? 'entities';
    return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

export function printRoute(route: Route): string {
    const given = Object.entries(route.params).filter(([, value]) => value !== '');
    const query = given.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll('%3A', ':')}`).join('&');
    return `#/${route.view}${query ? `?${query}` : ''}`;
}

export const route = new Cell<Route>({ view: 'entities', params: {} });

export function followAddress(): void {
    const read = () => route.set(parseRoute(location.hash));
    addEventListener('hashchange', read);
    read();
}

/** Goes to a view; the selected entity and the query stay. */
export function goTo(view: View): void {
    show({ view, params: route.value.params }, false);
}

/** Changes parameters; "" removes one. Replacing leaves no step in the browser's history. */
export function setParams(params: Record<string, string>, replace = false): void {
    show({ view: route.value.view, params: { ...route.value.params, ...params } }, replace);
}

export function selectEntity(e: string | null, view?: View): void {
    show({ view: view ?? route.value.view, params: { ...route.value.params, e: e ?? '' } }, false);
}

/** Lists the entities of a query; the selected entity stays. */
export function showQuery(query: string): void {
    show({ view: 'entities', params: { ...route.value.params, q: query } }, false);
}

/** Goes to the space view with these parameters. */
export function showSpace(params: Record<string, string>): void {
    show({ view: 'space', params }, false);
}

function show(next: Route, replace: boolean): void {
    const hash = printRoute(next);
    if (hash === location.hash) return;
    if (replace) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
    route.set(parseRoute(hash));
}
