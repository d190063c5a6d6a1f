import type { Provider, Type } from '@nestjs/common';
import { GroupAnswers } from './group-answers.js';
import { GroupsV4Controller } from './groups.controller.js';
import { NodesV4Controller } from './nodes.controller.js';

export const v4Controllers: readonly Type[] = [GroupsV4Controller, NodesV4Controller];
export const v4Providers: readonly Provider[] = [GroupAnswers];
