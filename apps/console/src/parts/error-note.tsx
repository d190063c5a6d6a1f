import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.js';
import { Button } from './button.js';

type NoteProps = Readonly<{ error: unknown; again?: (() => void) | undefined }>;

const saidOf = (error: unknown): Pick<ApiError, 'title' | 'detail' | 'instance'> => {
  if (error instanceof ApiError) return error;
  return { title: 'Something went wrong on this page', detail: error instanceof Error ? error.message : `${error}` };
};

/** Refusals of the call itself: the same call is refused again. */
const FINAL = [400, 403, 404];

const isFinal = (error: unknown): boolean => error instanceof ApiError && FINAL.includes(error.status);

const Note = ({ error, again }: NoteProps) => {
  const { title, detail, instance } = saidOf(error);
  return (
    <div class="note bad" role="alert">
      <strong>{title}</strong>
      {detail && <p>{detail}</p>}
      {instance && (
        <p class="quiet">
          Request <code>{instance}</code>
        </p>
      )}
      {again && !isFinal(error) && <Button text="Try again" onClick={again} />}
    </div>
  );
};

/** A place that would say that the connection is lost. `again`: tries once more to do what failed there. */
type Lost = { again: (() => void) | undefined; show(isShown: boolean): void };

/** In the order in which they came. */
const lost = new Set<Lost>();

/** A page may wait for many answers: one lost connection is one note, and one button that tries everything again. */
const showFirst = (): void => {
  for (const [at, one] of [...lost].entries()) one.show(at === 0);
};

const LostConnection = ({ error, again }: NoteProps) => {
  const place = useRef<HTMLDivElement>(null);
  const own = useRef<Lost>(undefined);
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => {
    if (place.current?.closest('dialog')) {
      setShown(true); // what is behind a dialog cannot be reached
      return;
    }
    const one: Lost = { again, show: setShown };
    own.current = one;
    lost.add(one);
    showFirst();
    return () => {
      lost.delete(one);
      showFirst();
    };
  }, []);
  useLayoutEffect(() => {
    if (own.current) own.current.again = again;
  });
  const all = () => {
    if (!own.current) again?.();
    for (const one of lost) one.again?.();
  };
  const canTry = again !== undefined || [...lost].some((one) => one.again);
  return <div ref={place}>{isShown && <Note error={error} again={canTry ? all : undefined} />}</div>;
};

/** An error in the server's words: title, detail and request. */
export const ErrorNote = (props: NoteProps) => {
  const isLost = props.error instanceof ApiError && props.error.status === 0;
  return isLost ? <LostConnection {...props} /> : <Note {...props} />;
};
