import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A reference to an element. */
type Place = Readonly<{ current: HTMLElement | null }>;

/** Between a tooltip and its element, and the edge of the page. Pixels. */
const GAP = 6;

const withTip = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;

/** The element inside of another one that a pointer is over, that has the focus, or that was tapped; Escape forgets it. */
const usePointedAt = (of: Place): HTMLElement | null => {
  const [element, setElement] = useState<HTMLElement | null>(null);
  useLayoutEffect(() => {
    const { current } = of;
    if (!current) return;
    const ended = new AbortController();
    const on = <Name extends keyof HTMLElementEventMap>(name: Name, listener: (event: HTMLElementEventMap[Name]) => void) =>
      current.addEventListener(name, listener, { signal: ended.signal });
    on('pointerover', ({ target, pointerType }) => pointerType !== 'touch' && setElement(withTip(target)));
    on('pointerleave', ({ pointerType }) => pointerType !== 'touch' && setElement(withTip(current.querySelector(':focus-visible'))));
    on('focusin', ({ target }) => setElement(withTip(target)));
    on('focusout', () => setElement(null));
    on('click', ({ target }) => setElement(withTip(target)));
    addEventListener('keydown', ({ key }) => key === 'Escape' && setElement(null), { signal: ended.signal });
    return () => ended.abort();
  }, []);
  return element;
};

/** Shows what elements inside of another one have in `data-tip`. */
export const Tooltip = ({ of }: Readonly<{ of: Place }>) => {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const element = usePointedAt(of);
  const text = element?.isConnected ? element.dataset.tip : undefined;
  useLayoutEffect(() => {
    const { current } = box;
    if (!element || !current) return;
    const place = () => {
      const { left, top, bottom, width } = element.getBoundingClientRect();
      const { offsetWidth, offsetHeight } = current;
      const middle = left + width / 2 - offsetWidth / 2;
      current.style.left = `${Math.max(GAP, Math.min(innerWidth - offsetWidth - GAP, middle))}px`;
      current.style.top = `${top - offsetHeight - GAP < 0 ? bottom + GAP : top - offsetHeight - GAP}px`;
    };
    const ended = new AbortController();
    place();
    addEventListener('scroll', place, { capture: true, passive: true, signal: ended.signal });
    addEventListener('resize', place, { signal: ended.signal });
    element.setAttribute('aria-describedby', id);
    return () => {
      ended.abort();
      element.removeAttribute('aria-describedby');
    };
  }, [element, text, id]);
  return text === undefined ? null : (
    <div ref={box} id={id} role="tooltip" class="tooltip">
      {text}
    </div>
  );
};
