import { describe, expect, it } from '@jest/globals';
import { ReferenceGate, target } from './reference-gate.js';

const [a, b] = [target('definition', 'a'), target('installation', 'b')];

/** Works that tell when they begin and end when they are told to. */
const bench = () => {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    began.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return name;
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { began, work, end };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the gate of references', () => {
  it('runs references side by side, and removals, too, but each kind waits for earlier tasks of the other', async () => {
    const gate = new ReferenceGate();
    const { began, work, end } = bench();
    const all = [gate.referring([a, b], work('1')), gate.referring([a], work('2')), gate.removing(a, work('3'))];
    all.push(gate.referring([b], work('4')), gate.referring([a], work('5')), gate.removing(a, work('6')), gate.removing(a, work('7')));
    await settled();
    expect(began).toEqual(['1', '2', '4']);
    await end('1');
    expect(began).toEqual(['1', '2', '4']);
    await end('2');
    expect(began).toEqual(['1', '2', '4', '3']);
    await end('3');
    expect(began).toEqual(['1', '2', '4', '3', '5']);
    await end('5');
    expect(began).toEqual(['1', '2', '4', '3', '5', '6', '7']);
    for (const name of ['7', '6', '4']) await end(name);
    expect(await Promise.all(all)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });

  it('has no deadlock between tasks that remove one record and refer to another', async () => {
    const gate = new ReferenceGate();
    const { began, work, end } = bench();
    const all = [gate.removing(b, work('1'), [a]), gate.removing(a, work('2'), [b]), gate.referring([b, a], work('3'))];
    await settled();
    expect(began).toEqual(['1']);
    await end('1');
    await end('2');
    await end('3');
    expect(await Promise.all(all)).toEqual(['1', '2', '3']);
  });

  it('rejects with the failure of a task and lets the next one in', async () => {
    const gate = new ReferenceGate();
    const failed = gate.removing(a, () => Promise.reject(new Error('no')));
    const next = gate.referring([a, a], () => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  it('takes ids in upper and lower case for the same', () => {
    expect(target('definition', 'ABCDEF0123456789ABCDEF01')).toBe(target('definition', 'abcdef0123456789abcdef01'));
    expect(target('provider', 'A')).not.toBe(target('provider', 'a'));
    expect(target('provider', 'a')).not.toBe(target('resource', 'a'));
  });
});
