import { createServer } from 'node:http'
import next from 'next'
import { oauth, routes, serve } from './assembly.ts'
import { share } from './shared.ts'

// Next compiles the routes apart from this file: they get what is here by `shared.ts`.
share({ oauth })
// Next takes over the upgrades of the server it is given. This one is never used.
const app = next({ dir: import.meta.dirname, httpServer: createServer() })
await app.prepare()
const handle = app.getRequestHandler()
const upgrade = app.getUpgradeHandler()

await serve(createServer(oauth.handler({ routes, next: (...both) => void handle(...both) })), {
  next: (...all) => void upgrade(...all),
  stop: () => app.close(),
})
