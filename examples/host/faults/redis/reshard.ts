import { type RedisServer, sendToRedis } from '@svc/store/testing'

/** More than there are. */
const KEYS = 10_000

/** Moves every slot of a node that holds something to another one, as `redis-cli --cluster reshard` does. */
export async function moveAllSlots(from: RedisServer, to: RedisServer): Promise<void> {
  const [fromId, toId] = [await idOf(from), await idOf(to)]
  const slots = await slotsInUse(from)
  if (slots.size === 0) throw new Error('no slot of the node holds anything')
  for (const slot of slots) {
    await must(to, `CLUSTER SETSLOT ${slot} IMPORTING ${fromId}`)
    await must(from, `CLUSTER SETSLOT ${slot} MIGRATING ${toId}`)
    for (;;) {
      const keys = textsOf(await ask(from, `CLUSTER GETKEYSINSLOT ${slot} 10`))
      if (keys.length === 0) break
      const quoted = keys.map((key) => JSON.stringify(key)).join(' ')
      await ask(from, `MIGRATE 127.0.0.1 ${to.port} "" 0 5000 KEYS ${quoted}`)
    }
    await must(to, `CLUSTER SETSLOT ${slot} NODE ${toId}`)
    await must(from, `CLUSTER SETSLOT ${slot} NODE ${toId}`)
  }
}

async function slotsInUse(node: RedisServer): Promise<ReadonlySet<number>> {
  const slots = new Set<number>()
  // Behind the cursor.
  const [, ...keys] = textsOf(await ask(node, `SCAN 0 COUNT ${KEYS}`))
  for (const key of keys) {
    const answer = await ask(node, `CLUSTER KEYSLOT ${JSON.stringify(key)}`)
    slots.add(Number(answer.slice(1)))
  }
  return slots
}

/** The texts of an answer of RESP. */
function textsOf(answer: string): readonly string[] {
  return answer.split('\r\n').filter((line) => line !== '' && !/^[*$]\d+$/.test(line))
}

async function idOf(server: RedisServer): Promise<string> {
  return (await ask(server, 'CLUSTER MYID')).split('\r\n')[1] ?? ''
}

async function must(server: RedisServer, command: string): Promise<void> {
  const answer = await ask(server, command)
  if (answer !== '+OK') throw new Error(`${command}: ${answer}`)
}

async function ask(server: RedisServer, command: string): Promise<string> {
  return (await sendToRedis(server.port, command)).trim()
}
