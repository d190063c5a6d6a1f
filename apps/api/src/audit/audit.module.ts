import { Module } from '@nestjs/common';

/** `/audit`: what happened, who did it, and proof that nothing of it was altered (operations contract 2 and 3). */
@Module({})
export class AuditModule {}
