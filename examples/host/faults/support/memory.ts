import { readFileSync } from 'node:fs'

/** What of the memory is the heap of JavaScript, and what of that is held by new objects: they say why memory grew. */
export function heapOf(metrics: string): Readonly<Record<string, number>> {
  const read = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1])
  return {
    heapBytes: read('nodejs_heap_size_total_bytes'),
    usedBytes: read('nodejs_heap_size_used_bytes'),
    newSpaceBytes: read(String.raw`nodejs_heap_space_size_total_bytes\{space="new"\}`),
    externalBytes: read('nodejs_external_memory_bytes'),
  }
}

/** What a process has of the memory of the machine. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
