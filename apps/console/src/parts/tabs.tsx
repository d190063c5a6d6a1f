import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Button } from './button.js';

type TabsProps = Readonly<{
  label: string;
  names: readonly string[];
  selected: string;
  onSelect: (name: string) => void;
  /** Content of the selected one. */
  children: ComponentChildren;
}>;

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs: one is reached by Tab, the others by arrow keys. */
export const Tabs = ({ label, names, selected, onSelect, children }: TabsProps) => {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const moved = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (names.indexOf(selected) + step + names.length) % names.length;
    onSelect(names[next] ?? selected);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={moved}>
        {names.map((name) => (
          <Button
            text={name}
            key={name}
            role="tab"
            id={`${id}-${name}`}
            aria-controls={`${id}-panel`}
            aria-selected={name === selected}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
          />
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </>
  );
};
