import type { Type } from '@nestjs/common';
import { ResultsV5Controller } from './results-v5.controller.js';
import { StatusV5Controller } from './status-v5.controller.js';

export const v5Controllers: readonly Type[] = [ResultsV5Controller, StatusV5Controller];
