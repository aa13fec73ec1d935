import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'

const MIB = 1_048_576

/** Bytes of resident memory. */
interface Memory {
  readonly some: number
  readonly all: number
}

function measure(file: string): Promise<Memory> {
  const program = path.join(import.meta.dirname, '../instances-memory-process.ts')
  const execArgv = [...process.execArgv, '--expose-gc', '--optimize-for-size']
  const child = fork(program, [file], { execArgv })
  return new Promise((resolve, reject) => {
    let memory: Memory | undefined
    child.once('message', (message) => {
      memory = message as Memory // What the program sends.
    })
    child.once('error', reject)
    // Not 'exit': a message may come after it.
    child.once('close', (code) => {
      if (code === 0 && memory !== undefined) resolve(memory)
      else reject(new Error(`the program ended with ${String(code)}`))
    })
  })
}

describe('10 000 instances', function () {
  this.timeout(240_000)

  it('need at most 16 MiB more than 1 000 of them, once all were used', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-instances-'))
    try {
      const { some, all } = await measure(path.join(folder, 'store.db'))
      expect((all - some) / MIB).to.be.below(16)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
