import type { ComponentChildren } from 'preact';

/** Names and values, such as those of a projection. */
export const Facts = ({ of }: Readonly<{ of: readonly (readonly [name: string, value: ComponentChildren])[] }>) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
