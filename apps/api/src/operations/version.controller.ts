import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { build } from '#infra/platform/program/build.js';

const TEXT = { type: 'string' } as const;

/** Which program answers, for everybody. The services have routes of their own for it, as their contracts say. */
@ApiTags('health')
@Controller('version')
export class VersionController {
  @Get()
  @ApiOperation({
    summary: 'Version of Logbook, the commit it was built from (empty: not known), when it was built, and the version of Node',
  })
  @ApiOkResponse({
    description: 'The program',
    schema: {
      title: 'Version',
      type: 'object',
      required: ['version', 'commit', 'buildTime', 'node'],
      properties: { version: TEXT, commit: TEXT, buildTime: { ...TEXT, format: 'date-time' }, node: TEXT },
      example: {
        version: '0.1.0',
        commit: 'd1ef231c6f1b7a0c5f4e3d2c1b0a99887766554e',
        buildTime: '2026-11-21T06:20:13Z',
        node: 'v24.11.0',
      },
    },
  })
  show(): object {
    return { version: build.version, commit: build.commit, buildTime: build.time, node: process.version };
  }
}
