/** Makes one call with the environment it was started in: `outbound-process.ts <url>`; prints the status. */
import { createOutbound } from '../../src/index.ts'

const outbound = createOutbound({ trustedNetworks: ['127.0.0.0/8'] })
const { status } = await outbound.request(process.argv[2] ?? '', { method: 'GET', isTrusted: true })
console.log(status)
