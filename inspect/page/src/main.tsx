import { render } from 'preact';
import { App } from './app.tsx';
import { takeToken, watchRequests } from './client.ts';
import { followAddress } from './route.ts';
import './style/base.css';
import './style/shell.css';
import './style/tables.css';
import './style/entity.css';
import './style/views.css';
import { followTheme } from './theme.ts';

takeToken();
watchRequests();
followTheme();
followAddress();
const page = document.getElementById('page');
if (page) {
    page.replaceChildren();
    render(<App />, page);
}
