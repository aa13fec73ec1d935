/** The run could not be made: nothing is said about the server's rules. */
export class CannotRun extends Error {}

/** The run could not be made, and something that it made could not be removed: its journal is left. */
export class NotRemoved extends CannotRun {}
