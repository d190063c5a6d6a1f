import { ApiError } from '../api/client.js';

/** What went wrong, in the server's words: title, detail and instance. */
export const ErrorNote = ({ error, again }: Readonly<{ error: unknown; again?: () => void }>) => {
  const { title, detail, instance } =
    error instanceof ApiError
      ? error
      : { title: 'Something went wrong on this page', detail: error instanceof Error ? error.message : `${error}`, instance: undefined };
  return (
    <div class="note bad" role="alert">
      <strong>{title}</strong>
      {detail && <p>{detail}</p>}
      {instance && (
        <p class="quiet">
          Instance <code>{instance}</code>
        </p>
      )}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
};
