"""Says where external content comes from."""


class AttributionGuard:
    @staticmethod
    def format_response(result, session_id):
        metadata = {"attribution": f"CommunicationOS in session {session_id}"}
        return {"results": result, "metadata": metadata}
