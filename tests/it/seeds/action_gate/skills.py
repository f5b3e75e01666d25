from langchain_core.tools import tool

IRREVERSIBILITY = {
    "read_only": {
        "email.list", "email.search", "email.read", "files.read", "files.search", "tasks.search", "tasks.get", "memory.get",
        "memory.search", "memory.query_entity_graph", "images.list_models", "calendar.list", "workflow.list",
    },
    "creates_state": {"email.draft", "tasks.create", "calendar.create", "files.write", "memory.save", "workflow.create"},
    "modifies_state": {
        "files.update", "tasks.update", "calendar.update", "tasks.delete", "memory.compact_conversation", "memory.close_relation",
        "workflow.cancel",
    },
    "irreversible": {"email.send", "files.archive", "workflow.run"},
    "costs_money": {"images.generate"},
}


@tool("email.list")
def email_list(value: str) -> str:
    return value


@tool("email.search")
def email_search(value: str) -> str:
    return value


@tool("email.read")
def email_read(value: str) -> str:
    return value


@tool("email.draft")
def email_draft(value: str) -> str:
    return value


@tool("email.send")
def email_send(value: str) -> str:
    return value


@tool("calendar.list")
def calendar_list(value: str) -> str:
    return value


@tool("calendar.create")
def calendar_create(value: str) -> str:
    return value


@tool("calendar.update")
def calendar_update(value: str) -> str:
    return value


@tool("files.read")
def files_read(value: str) -> str:
    return value


@tool("files.search")
def files_search(value: str) -> str:
    return value


@tool("files.write")
def files_write(value: str) -> str:
    return value


@tool("files.update")
def files_update(value: str) -> str:
    return value


@tool("files.archive")
def files_archive(value: str) -> str:
    return value


@tool("tasks.search")
def tasks_search(value: str) -> str:
    return value


@tool("tasks.get")
def tasks_get(value: str) -> str:
    return value


@tool("tasks.create")
def tasks_create(value: str) -> str:
    return value


@tool("tasks.update")
def tasks_update(value: str) -> str:
    return value


@tool("tasks.delete")
def tasks_delete(value: str) -> str:
    return value


@tool("memory.get")
def memory_get(value: str) -> str:
    return value


@tool("memory.save")
def memory_save(value: str) -> str:
    return value


@tool("memory.search")
def memory_search(value: str) -> str:
    return value


@tool("memory.compact_conversation")
def memory_compact_conversation(value: str) -> str:
    return value


@tool("memory.extract_entities")
def memory_extract_entities(value: str) -> str:
    return value


@tool("memory.close_relation")
def memory_close_relation(value: str) -> str:
    return value


@tool("memory.query_entity_graph")
def memory_query_entity_graph(value: str) -> str:
    return value


@tool("images.generate")
def images_generate(value: str) -> str:
    return value


@tool("images.list_models")
def images_list_models(value: str) -> str:
    return value


@tool("workflow.create")
def workflow_create(value: str) -> str:
    return value


@tool("workflow.build")
def workflow_build(value: str) -> str:
    return value


@tool("workflow.run")
def workflow_run(value: str) -> str:
    return value


@tool("workflow.cancel")
def workflow_cancel(value: str) -> str:
    return value


@tool("workflow.list")
def workflow_list(value: str) -> str:
    return value
