import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../parts/button.js';

type AsTableProps = Readonly<{
  /** What the picture shows: its heading. */
  title: string;
  table: () => ComponentChildren;
  /** The picture. */
  children: ComponentChildren;
}>;

/** A picture, or the same as a table. */
export const AsTable = ({ title, table, children }: AsTableProps) => {
  const [shown, setShown] = useState(false);
  const id = useId();
  return (
    <figure class="chart">
      <figcaption>
        <span id={id}>{title}</span>
        <Button text="Show as table" class="small" aria-pressed={shown} aria-describedby={id} onClick={() => setShown(!shown)} />
      </figcaption>
      {shown ? table() : children}
    </figure>
  );
};
