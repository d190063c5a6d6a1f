/** A link to the page above, and the title of what is shown. */
export const Up = ({ to, text, title }: Readonly<{ to: string; text: string; title?: string }>) => (
  <>
    <p>
      <a href={to}>{text}</a>
    </p>
    {title !== undefined && <h2>{title}</h2>}
  </>
);
