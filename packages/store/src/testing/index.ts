import '../entry/node-version.ts'
export { freePort } from './free-port.ts'
export { type BlackHole, startBlackHole } from './black-hole.ts'
export { type RedisCluster, startRedisCluster } from './redis-cluster.ts'
export {
  hasRedisServer,
  type RedisServer,
  type RedisServerOptions,
  sendToRedis,
  startRedisServer,
} from './redis-server.ts'
