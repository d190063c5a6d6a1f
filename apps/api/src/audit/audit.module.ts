import { Module } from '@nestjs/common';
import { AnchorsController } from './integrity/anchors.controller.js';
import { ProofsController } from './integrity/proofs.controller.js';

/** `/audit`: what happened, who did it, and proof that nothing of it was altered (operations contract 2 and 3). */
@Module({ controllers: [AnchorsController, ProofsController] })
export class AuditModule {}
