import { useState } from 'preact/hooks';
import { counted } from '../../parts/figures.js';
import { aroundChanges, type DiffLine, type DiffRow, differenceOf } from './difference.js';

type DifferenceProps = Readonly<{ title: string; before: unknown; after: unknown }>;

const MARKS: Readonly<Record<DiffRow['kind'], readonly [before: string, after: string]>> = {
  same: [' ', ' '],
  changed: ['−', '+'],
  removed: ['−', ' '],
  added: [' ', '+'],
};

const Side = ({ line, mark, side }: Readonly<{ line: DiffLine | undefined; mark: string; side: string }>) => (
  <>
    <td class="line-number">{line?.number ?? ''}</td>
    <td class={`code ${line && mark !== ' ' ? side : ''}`}>
      {line && (
        <code>
          {mark !== ' ' && <span class="only-read">{mark === '+' ? 'added: ' : 'removed: '}</span>}
          <span aria-hidden="true">{mark} </span>
          {line.text}
        </code>
      )}
    </td>
  </>
);

/** Two values side by side. */
export const Difference = ({ title, before, after }: DifferenceProps) => {
  const [whole, setWhole] = useState(false);
  const rows = differenceOf(before, after);
  const changes = rows.filter(({ kind }) => kind !== 'same').length;
  const shown = whole ? rows : aroundChanges(rows);
  return (
    <>
      <p>
        {changes === 0 ? 'Both are the same.' : `${counted(changes, 'line')} ${changes === 1 ? 'differs' : 'differ'}.`}{' '}
        {shown.length < rows.length && (
          <button type="button" class="small" onClick={() => setWhole(true)}>
            Show all lines
          </button>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="scroll" aria-label={`${title}, scrolls`} tabIndex={0}>
        <table class="difference">
          <caption class="only-read">{title}</caption>
          <colgroup>
            <col class="line-number" />
            <col />
            <col class="line-number" />
            <col />
          </colgroup>
          <thead>
            <tr>
              <th scope="col" colSpan={2}>
                Before
              </th>
              <th scope="col" colSpan={2}>
                After
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) =>
              typeof row === 'number' ? (
                <tr key={`gap ${at}`} class="gap">
                  <td colSpan={4}>{counted(row, 'line')} the same</td>
                </tr>
              ) : (
                <tr key={`${row.before?.number} ${row.after?.number}`}>
                  <Side line={row.before} mark={MARKS[row.kind][0]} side="removed" />
                  <Side line={row.after} mark={MARKS[row.kind][1]} side="added" />
                </tr>
              ),
            )}
          </tbody>
        </table>
      </section>
    </>
  );
};
