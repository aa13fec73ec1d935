import { serve } from '../serve.ts'
import { permissionTexts, scopePolicy } from './scopes.ts'

await serve({ oauth: { scopePolicy }, ui: { permissionTexts } })
