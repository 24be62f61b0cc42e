const paths = {
    entities: 'M2 3h12M2 8h12M2 13h12M2 3v0M5 3v10',
    entity: 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6',
    storage: 'M2 2.5h5v4.5H2zM9 2.5h5v4.5H9zM2 9h5v4.5H2zM9 9h5v4.5H9z',
    systems: 'M2 3h4v3.5H2zM10 9.5h4V13h-4zM10 3h4v3.5h-4zM6 4.75h4M8 4.75v6.5h2',
    space: 'M2 2v12h12M5 10.5v0M7 6.5v0M10 9v0M12 4.5v0M9 4.2v0',
    time: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.5V8l2.6 1.8',
    events: 'M1.5 8h3l2-5 3 10 2-5h3',
    resources: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
    pause: 'M5 3v10M11 3v10',
    play: 'M4 2.5v11L13 8z',
    step: 'M3.5 3v10L10 8zM12.5 3v10',
    close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
    add: 'M8 3v10M3 8h10',
    less: 'M3 8h10',
    previous: 'M10 4 6 8l4 4',
    whole: 'M2.5 4v8M13.5 4v8M4.5 8h7M6.5 6l-2 2 2 2M9.5 6l2 2-2 2',
    sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M13 3l-1.2 1.2M4.2 11.8 3 13',
    moon: 'M13 9.8A5.6 5.6 0 0 1 6.2 3 5.6 5.6 0 1 0 13 9.8z',
    help: 'M5.8 6a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.9-1.1 1.7M8 12.2v.2M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z',
    open: 'M6 4l4 4-4 4',
    watch: 'M1.5 12l4-5 3 3 5.5-7',
    copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
    trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 9h5.8l.6-9',
    follow: 'M3 8h9M8.5 4.5 12 8l-3.5 3.5',
    undo: 'M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6',
    columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
    edit: 'M3 13l.7-3L10.6 3l2.4 2.4L6 12.3z',
    search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14',
    save: 'M8 2v7.5M4.8 6.5 8 9.7l3.2-3.2M2.5 13.5h11',
    star: 'M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z',
    lock: 'M4 7.5h8V14H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
};

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
    return (
        <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
            <path d={paths[name]} />
        </svg>
    );
}
