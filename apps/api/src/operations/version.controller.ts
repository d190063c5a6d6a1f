import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { open } from '#api/ops-kit/route.js';
import { shows } from '#api/shared/openapi/described.js';
import { bounded, component, type Static } from '#domain/shared/shape.js';
import { build } from '#infra/platform/program/build.js';

const EXAMPLE = {
  version: '1.0.0',
  commit: 'd1ef231c6f1b7a0c5f4e3d2c1b0a99887766554e',
  buildTime: '2026-11-21T06:20:13Z',
  node: 'v24.11.0',
};
const VERSION = component(
  'Version',
  bounded({ version: 'text', commit: 'text', buildTime: 'instant', node: 'text' }, { example: EXAMPLE }),
).shownAs(EXAMPLE);

/** Version of the program, for any caller. The services have their own routes for it, according to their contracts. */
@ApiTags('health')
@Controller('version')
export class VersionController {
  @open.Get('', {
    id: 'getVersion',
    summary: 'Version of Logbook, the commit it was built from (empty: not known), when it was built, and the version of Node',
    answers: shows(VERSION, EXAMPLE, 'The program'),
  })
  show(): Static<typeof VERSION> {
    return { version: build.version, commit: build.commit, buildTime: build.time, node: process.version };
  }
}
