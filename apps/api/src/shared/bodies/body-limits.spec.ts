import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { accountingControllers } from '#api/accounting/accounting.module.js';
import { messagingControllers } from '#api/messaging/messaging.module.js';
import { KeysController } from '#api/operations/access-keys/keys.controller.js';
import { statusControllers } from '#api/status/status.module.js';
import { BODY_LIMITS, type BodyLimits, bodyLimitsOf } from './body-limits.js';

const MIB = 1024 * 1024;

/** Tables may be padded. */
const documented = readFileSync(new URL('../../../../../docs/limits.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
const limits: readonly (readonly [string, BodyLimits])[] = Object.entries(BODY_LIMITS);

const bytes = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return '`LOGBOOK_BODY_LIMIT`';
  return value % MIB === 0 ? `${value / MIB} MiB` : `${value / 1024} KiB`;
};
const rowOf = (name: string, { bytes: most, values, levels, text }: BodyLimits): string =>
  `| ${[name, bytes(most), ...(values === 0 ? ['any', 'any', 'any'] : [values.toLocaleString('en'), levels.toLocaleString('en'), bytes(text)])].join(' | ')} |`;

describe('limits of request bodies', () => {
  it.each(limits)('of %s agree with docs/limits.md', (name, limits) => expect(documented).toContain(rowOf(name, limits)));

  it('are documented only if they exist', () => {
    const names = [...documented.matchAll(/^\| (\w+) \| (?:\d+ [KM]iB|`LOGBOOK_BODY_LIMIT`) \|/gm)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(BODY_LIMITS));
  });

  it('are each used by some route, or the default of some method', () => {
    const controllers = [...messagingControllers, ...accountingControllers, ...statusControllers, KeysController];
    const named = controllers.flatMap(({ prototype }) =>
      Object.getOwnPropertyNames(prototype).flatMap((member) => {
        const handler: unknown = Object.getOwnPropertyDescriptor(prototype, member)?.value;
        if (typeof handler !== 'function') return [];
        const config: Readonly<{ body?: string }> | undefined = Reflect.getMetadata('__fastify_route_config__', handler);
        return config?.body ?? [];
      }),
    );
    expect([...new Set([...named, 'record', 'entry'])].sort()).toEqual(Object.keys(BODY_LIMITS).sort());
  });

  it('follow from the method unless a route names its own', () => {
    expect(['POST', 'PUT', 'PATCH'].map((method) => bodyLimitsOf(method, undefined, MIB))).toEqual(Array(3).fill(BODY_LIMITS.record));
    expect(['GET', 'HEAD', 'DELETE', 'OPTIONS'].map((method) => bodyLimitsOf(method, undefined, MIB))).toEqual(
      Array(4).fill(BODY_LIMITS.none),
    );
    expect(bodyLimitsOf('POST', 'none', MIB)).toEqual(BODY_LIMITS.none);
    expect(bodyLimitsOf('PATCH', undefined, MIB, 'entry')).toEqual(BODY_LIMITS.entry);
    expect(bodyLimitsOf('GET', undefined, MIB, 'entry')).toEqual(BODY_LIMITS.none);
  });

  it('never exceed the limit of all bodies in bytes', () => {
    expect(bodyLimitsOf(['POST'], 'publish', 5 * MIB)).toEqual({ ...BODY_LIMITS.publish, bytes: 5 * MIB });
    expect(bodyLimitsOf(['POST'], 'dayList', 5 * MIB).bytes).toBe(5 * MIB);
    expect(bodyLimitsOf(['POST'], 'record', 5 * MIB).bytes).toBe(MIB);
  });
});
