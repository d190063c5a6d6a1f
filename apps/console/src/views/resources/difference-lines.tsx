import { useState } from 'preact/hooks';
import { counted } from '../../parts/figures.js';
import { aroundChanges, type DiffRow, type DiffWords, differenceOf, wordsOf } from './difference.js';

type DifferenceProps = Readonly<{
  before: unknown;
  after: unknown;
  /** Day of the snapshot of a dated record that it is compared with; `null`: there is none. Absent for other records. */
  against?: string | null | undefined;
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

const Words = ({ kind, text }: DiffWords) => {
  if (kind === 'same') return <>{text}</>;
  return kind === 'removed' ? <del>{text}</del> : <ins>{text}</ins>;
};

/** The numbers of the line before and after. */
const Line = ({ row }: Readonly<{ row: DiffRow }>) => (
  <li class={row.kind} data-before={row.before?.number ?? ''} data-after={row.after?.number ?? ''}>
    <code>
      {partsOf(row).map((part, at) => (
        <Words key={`${at} ${part.text}`} {...part} />
      ))}
    </code>
  </li>
);

const againstText = (against: string | null): string => (against === null ? 'the first snapshot' : `against the snapshot of ${against}`);

/** Two values: the lines that differ, with three around them and the words that were changed. */
export const Difference = ({ before, after, against }: DifferenceProps) => {
  const [isWhole, setWhole] = useState(false);
  const rows = differenceOf(before, after);
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
              <Line key={`${row.before?.number} ${row.after?.number}`} row={row} />
            ),
          )}
        </ol>
      )}
    </section>
  );
};
