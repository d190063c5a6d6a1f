import { render } from 'preact';
import { followLinks } from './place.js';
import { Console } from './shell/console.js';
import './style.css';

const root = document.getElementById('console');
if (!root) throw new Error('the page has no place for the console');
followLinks();
render(<Console />, root);
