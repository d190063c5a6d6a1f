import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PushAvailability } from '#api/messaging/push/push-availability.js';
import { build } from '#api/shared/build.js';
import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from './errors.js';
import { callerIfAny, type MessagingCaller, OpenMessagingRoute } from './http-policy.js';
import { sendJ1 } from './responses.js';

/** Roles whose users may see more of the service than everybody. */
const INSIDERS = ['admin_viewer', 'service_admin'];

const isInsider = (caller: MessagingCaller | undefined): boolean =>
  caller?.kind === 'user' && caller.roles.some((role) => INSIDERS.includes(role));

/** Status and version of the messaging service (messaging contract 3.9). */
@ApiTags('messaging: service')
@ApiSecurity('x-api-key')
@Controller('v1')
export class ServiceInfoController {
  constructor(private readonly push: PushAvailability) {}

  @Get('status')
  @OpenMessagingRoute('ams:healthStatus')
  @ApiOperation({ summary: 'Health of the service and of its push servers' })
  @ApiQuery({
    name: 'details',
    required: false,
    description: '`true`: with the errors of push servers, for `admin_viewer` and `service_admin`',
  })
  async status(
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (firstOf(query.details) === 'true') {
      const caller = callerIfAny(request);
      if (caller?.kind !== 'user') throw errors.forbidden(); // sic: the codes are the other way round than elsewhere
      if (!isInsider(caller)) throw errors.unauthorized();
    }
    sendJ1(reply, await this.push.health());
  }

  @Get('version')
  @OpenMessagingRoute('version:list')
  @ApiOperation({ summary: 'What runs here; the release for `admin_viewer` and `service_admin`' })
  version(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const release = isInsider(callerIfAny(request)) ? { release: build.version } : {};
    const { version, platform, arch } = process;
    sendJ1(reply, { build_time: build.time, golang: version, compiler: 'node', os: platform, architecture: arch, ...release });
  }
}
