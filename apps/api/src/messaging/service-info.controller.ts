import { existsSync, readFileSync } from 'node:fs';
import { HEALTH, VERSION } from '#api/messaging/openapi/components.js';
import { Call, type MessagingCall } from '#api/messaging/parameters.js';
import { Get, MessagingController } from '#api/messaging/route.js';
import { build } from '#api/shared/build.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { oneOf, type Static } from '#domain/shared/shape.js';
import { j1 } from '#projections/messaging/layout.js';
import { json } from './answers/answers.js';
import * as errors from './errors.js';
import { type MessagingCaller } from './http-policy.js';
import { CallerIfAny } from './parameters.js';
import { PushAvailability } from './push-availability.js';

/** File with the name of the operating system. */
const OS_RELEASE = '/etc/os-release';

/** The host of a URL, without its port. */
const hostOf = (url: string): string => /^\w+:\/\/(\[[^\]]*\]|[^:/]*)/.exec(url)?.[1] ?? '';

/** Name of the operating system according to `os-release`; empty if there is no such file. */
const distro = ((): Readonly<{ distro?: string }> => {
  const release = existsSync(OS_RELEASE) ? readFileSync(OS_RELEASE, 'utf8') : '';
  const [, name] = /^PRETTY_NAME=(?:"(.*)"|'(.*)'|(\S*))$/m.exec(release)?.filter((part) => part !== undefined) ?? [];
  return name ? { distro: name } : {};
})();

/** Users with one of these roles see more details of the service. */
const INSIDERS = ['admin_viewer', 'service_admin'];

const isInsider = (caller: MessagingCaller | undefined): boolean =>
  caller?.kind === 'user' && caller.roles.some((role) => INSIDERS.includes(role));

/** Status and version of the messaging service (messaging contract 3.9). */
@MessagingController('v1', 'messaging: service')
export class ServiceInfoController {
  constructor(private readonly push: PushAvailability) {}

  @Get('status', {
    id: 'getMessagingStatus',
    summary: 'Health of the service and of its push servers',
    who: 'anyone',
    query: {
      details: parameter(oneOf('true', 'false'), '`true`: with the errors of push servers, for `admin_viewer` and `service_admin`'),
    },
    answers: shows(HEALTH, { status: 'ok', push_servers: [{ endpoint: '127.0.0.1:34905', status: 'SERVING' }] }),
  })
  async status(@QueryText('details') details: string | undefined, @CallerIfAny() caller: MessagingCaller | undefined): Promise<Answer> {
    if (details === 'true') {
      if (caller?.kind !== 'user') throw errors.forbidden(); // sic: elsewhere these two codes are used the other way round
      if (!isInsider(caller)) throw errors.unauthorized();
    }
    return json(j1(await this.push.health()));
  }

  @Get('version', {
    id: 'getMessagingVersion',
    summary: 'What runs here; the release for `admin_viewer` and `service_admin`',
    who: 'anyone',
    answers: shows(VERSION, {
      build_time: '2026-03-01T12:00:00Z',
      golang: 'v20.20.2',
      compiler: 'node',
      os: 'linux',
      architecture: 'x64',
      release: '1.0.0',
      distro: 'Debian GNU/Linux 13 (trixie)',
      hostname: 'logbook.example.org',
    }),
  })
  version(@Call() { request: { publicUrl } }: MessagingCall, @CallerIfAny() caller: MessagingCaller | undefined): Answer {
    const release = isInsider(caller) ? { release: build.version } : {};
    const { version, platform, arch } = process;
    const program = { build_time: build.time, golang: version, compiler: 'node', os: platform, architecture: arch };
    const view: Static<typeof VERSION> = { ...program, ...release, ...distro, hostname: hostOf(publicUrl) };
    return json(j1(view));
  }
}
