/** What was said, by who hears it. */
const said = new WeakMap<object, Set<string>>()

/** Writes a line the first time only: what it is about happens at every request. */
export function logOnce<Log extends object>(
  log: Log,
  event: string,
  write: (log: Log) => void,
): void {
  const events = said.get(log) ?? new Set<string>()
  said.set(log, events)
  if (events.has(event)) return
  events.add(event)
  write(log)
}
