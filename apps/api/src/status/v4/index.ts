import type { Feature } from '#api/shared/feature.js';
import { GroupAnswers } from './group-answers.js';
import { GroupsV4Controller } from './groups.controller.js';
import { NodesV4Controller } from './nodes.controller.js';

export const v4Feature: Feature = { controllers: [GroupsV4Controller, NodesV4Controller], providers: [GroupAnswers] };
