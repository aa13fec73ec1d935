/** Whether a wake-up is the instance's: its id is the instance's, or begins with it. */
export function isWakeUpOf(instance: string, id: string): boolean {
  return id.startsWith(instance) && !/^[A-Za-z0-9_-]/.test(id.slice(instance.length))
}
