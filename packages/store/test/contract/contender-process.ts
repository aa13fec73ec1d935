/* The second process of two-processes.test.ts: takes part in every round it is told of. */
import { openStore } from '../open-store.ts'
import { contend, type Round } from './contend.ts'

const store = openStore(process.argv[2] ?? '')
await store.health()
await store.bus.subscribe('ask', (message) => void store.bus.publish('answer', message))
process.on('message', (round: Round) => {
  void contend(store, round).then((score) => process.send?.(score))
})
process.once('disconnect', () => void store.close())
console.log('ready')
