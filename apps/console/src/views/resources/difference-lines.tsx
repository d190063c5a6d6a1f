import { useState } from 'preact/hooks';
import type { Session } from '../../api/session.js';
import { counted } from '../../parts/figures.js';
import { IdLink, type LinkedIds } from '../../parts/id-link.js';
import { type LinesWithIds, linesWithIds } from '../../records/ids.js';
import { aroundChanges, type DiffRow, type DiffWords, differenceOf, wordsOf } from './difference.js';

type DifferenceProps = Readonly<{
  before: unknown;
  after: unknown;
  /** Day of the snapshot of a dated record that it is compared with; `null`: there is none. Absent for other records. */
  against?: string | null | undefined;
  ids: LinkedIds;
}>;

const whole = (kind: DiffWords['kind'], text: string): readonly DiffWords[] => {
  const indent = text.length - text.trimStart().length;
  return [
    { kind: 'same', text: text.slice(0, indent) },
    { kind, text: text.slice(indent) },
  ];
};

const partsOf = ({ kind, before, after }: DiffRow): readonly DiffWords[] => {
  if (kind === 'changed') return wordsOf(before?.text ?? '', after?.text ?? '');
  return kind === 'removed' ? whole('removed', before?.text ?? '') : whole(kind, after?.text ?? '');
};

type LinksProps = Readonly<{ lines: LinesWithIds; session: Session }>;

/** A part of a line, with the id in it as a link. */
const Linked = ({ text, line, lines, session }: LinksProps & Readonly<{ text: string; line: string }>) => {
  const found = lines.get(line.trim());
  const start = found ? text.lastIndexOf(found.id) : -1;
  if (!found || start < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, start)}
      <IdLink meant={found.meant} session={session} />
      {text.slice(start + found.id.length)}
    </>
  );
};

const Words = ({ kind, text, row, ...links }: DiffWords & LinksProps & Readonly<{ row: DiffRow }>) => {
  const line = (kind === 'removed' ? row.before : (row.after ?? row.before))?.text ?? '';
  const linked = <Linked text={text} line={line} {...links} />;
  if (kind === 'same') return linked;
  return kind === 'removed' ? <del>{linked}</del> : <ins>{linked}</ins>;
};

/** The numbers of the line before and after. */
const Line = ({ row, ...links }: LinksProps & Readonly<{ row: DiffRow }>) => (
  <li class={row.kind} data-before={row.before?.number ?? ''} data-after={row.after?.number ?? ''}>
    <code>
      {partsOf(row).map((part, at) => (
        <Words key={`${at} ${part.text}`} row={row} {...part} {...links} />
      ))}
    </code>
  </li>
);

const againstText = (against: string | null): string => (against === null ? 'the first snapshot' : `against the snapshot of ${against}`);

/** Two values: the lines that differ, with three around them and the words that were changed. */
export const Difference = ({ before, after, against, ids: { spot, session } }: DifferenceProps) => {
  const [isWhole, setWhole] = useState(false);
  const rows = differenceOf(before, after);
  const lines = linesWithIds(spot, before, after);
  const changes = rows.filter(({ kind }) => kind !== 'same').length;
  const shown = isWhole ? rows : aroundChanges(rows);
  return (
    <section class="difference" aria-label="Difference">
      <p>
        {against !== undefined && `${againstText(against)}: `}
        {changes === 0 ? 'nothing differs' : `${counted(changes, 'line')} ${changes === 1 ? 'differs' : 'differ'}`}{' '}
        {changes > 0 && shown.length < rows.length && (
          <button type="button" class="small" onClick={() => setWhole(true)}>
            Show all lines
          </button>
        )}
      </p>
      {changes > 0 && (
        <ol>
          {shown.map((row, at) =>
            typeof row === 'number' ? (
              <li key={`gap ${at}`} class="gap">
                {counted(row, 'line')} the same
              </li>
            ) : (
              <Line key={`${row.before?.number} ${row.after?.number}`} row={row} lines={lines} session={session} />
            ),
          )}
        </ol>
      )}
    </section>
  );
};
