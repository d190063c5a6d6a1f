import type { Feature } from '#api/shared/feature.js';
import { OpenStreams } from './open-streams.js';
import { StreamController } from './stream.controller.js';

export const streamsFeature: Feature = { controllers: [StreamController], providers: [OpenStreams] };
