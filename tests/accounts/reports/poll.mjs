// Polls a report with Node's fetch: a line for every answer, "pending" after so many polls, and then on until it is done.
const [base, path, authorization, polls] = process.argv.slice(2);

async function get(target, id) {
  const answer = await fetch(base + target, { headers: { authorization, "x-request-id": id } });
  const body = await answer.text();
  console.log(JSON.stringify([target, id, answer.status, answer.headers.get("x-request-id"), body]));
  return answer.status;
}

for (let number = 0; number < Number(polls); number++) {
  await get(path, `poll-${number}`);
  if (number % 10 === 9) await get("/health/live", `live-${number}`);
}
console.log("pending");
while ((await get(path, "end")) !== 200);
