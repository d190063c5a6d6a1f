import { useState } from 'preact/hooks';
import { exactText } from '#domain/shared/json/exact-json.js';
import { NumberText } from '#domain/shared/text/number-text.js';
import { meantBy, spotIn } from '../records/ids.js';
import { count } from './figures.js';
import { IdLink, type LinkedIds } from './id-link.js';

type TreeProps = Readonly<{
  value: unknown;
  /** Of the member or item; of the whole nothing. */
  name?: string;
  /** Levels that are open from the start. Default: 2. */
  open?: number;
  /** Set if ids of records are links. */
  ids?: LinkedIds | undefined;
}>;

/** Items that are shown before one asks for more. */
const FIRST = 100;

const entriesOf = (value: object): readonly (readonly [string, unknown])[] => Object.entries(value);

const sizeOf = (value: object, entries: readonly unknown[]): string =>
  Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;

const kindOf = (value: unknown): string => {
  if (value instanceof NumberText) return 'number';
  return value === null ? 'null' : typeof value;
};

const Leaf = ({ value, ids }: Readonly<{ value: unknown; ids: LinkedIds | undefined }>) => {
  const meant = ids && meantBy(ids.spot, value);
  return meant ? <IdLink meant={meant} session={ids.session} /> : <code class={`leaf ${kindOf(value)}`}>{exactText(value)}</code>;
};

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null && !(value instanceof NumberText);

const Branch = ({ value, name, open = 2, ids }: TreeProps & Readonly<{ value: object }>) => {
  const [isOpen, setOpen] = useState(open > 0);
  const [most, setMost] = useState(FIRST);
  const entries = entriesOf(value);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name !== undefined && <span class="member">{name}</span>} <span class="quiet">{sizeOf(value, entries)}</span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, most).map(([member, part]) => (
            <li key={member}>
              <Tree value={part} name={member} open={open - 1} ids={ids && { ...ids, spot: spotIn(ids.spot, value, member) }} />
            </li>
          ))}
          {entries.length > most && (
            <li>
              <button type="button" class="small" onClick={() => setMost(most + 10 * FIRST)}>
                {count(entries.length - most)} more
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
};

/** JSON as a tree that opens and closes, as `<details>` does by keyboard. */
export const Tree = ({ value, name, open = 2, ids }: TreeProps) => {
  if (isContainer(value) && entriesOf(value).length > 0) {
    return <Branch value={value} open={open} ids={ids} {...(name !== undefined && { name })} />;
  }
  const shown = isContainer(value) ? <code class="leaf">{Array.isArray(value) ? '[]' : '{}'}</code> : <Leaf value={value} ids={ids} />;
  return (
    <span class="pair">
      {name !== undefined && <span class="member">{name}</span>} {shown}
    </span>
  );
};
