import type { Feature } from '#api/shared/feature.js';
import { ResultsV5Controller } from '#api/status/results/index.js';
import { StatusV5Controller } from './status-v5.controller.js';

export const v5Feature: Feature = { controllers: [ResultsV5Controller, StatusV5Controller], providers: [] };
