export function GET(): Response {
  return Response.json({ message: 'No such page here' }, { status: 404 })
}
