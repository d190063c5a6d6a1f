/** Runs in the browser, on the page `search`. */
import MiniSearch from 'minisearch';
import { INDEX, QUERY } from './search.mjs';

const MOST = 50;
const field = document.querySelector('input');
const status = document.querySelector('[role=status]');

const itemOf = ({ id, heading, page }) => {
  const link = Object.assign(document.createElement('a'), { href: id, textContent: heading });
  const item = document.createElement('li');
  item.append(link, page === heading ? '' : ` · ${page}`);
  return item;
};

const show = (index) => {
  const found = index.search(field.value, QUERY);
  status.textContent = found.length > MOST ? `${found.length} sections, the first ${MOST}:` : `${found.length} sections`;
  document.querySelector('ol').replaceChildren(...found.slice(0, MOST).map(itemOf));
};

const begin = async () => {
  const index = MiniSearch.loadJSON(await (await fetch('search.json')).text(), INDEX);
  field.addEventListener('input', () => show(index));
  show(index);
};

field.value = (new URL(location.href).searchParams.get('q') ?? '').slice(0, field.maxLength);
begin().catch((error) => {
  status.textContent = `The index cannot be read: ${error.message}`;
});
