/**
 * The time between the signal to end and the end, in which this node goes on serving but tells balancers to send requests elsewhere: `/health/ready` is
 * 503, and every answer ends its connection.
 */
export class Drain {
  private begun = false;

  /** There is no way back. */
  begin(): void {
    this.begun = true;
  }

  get isUnderWay(): boolean {
    return this.begun;
  }
}
