/**
 * The time between the signal to end and the end. The node still serves, but makes balancers send requests elsewhere: `/health/ready` is
 * 503, and every answer ends its connection.
 */
export class Drain {
  private begun = false;

  /** Cannot be undone. */
  begin(): void {
    this.begun = true;
  }

  get isUnderWay(): boolean {
    return this.begun;
  }
}
